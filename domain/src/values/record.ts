/** Returns the property names of a record, in the order of definition. */
export const namesOf = <Name extends string>(record: Readonly<Record<Name, unknown>>): readonly Name[] =>
  Object.keys(record) as Name[]

/** Creates a record with a value for each name. */
export const makeRecord = <Name extends string, A>(
  names: readonly Name[],
  make: (name: Name) => A,
): Readonly<Record<Name, A>> => Object.fromEntries(names.map(name => [name, make(name)])) as Record<Name, A>
