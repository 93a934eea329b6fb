/** For what is shown of an input, which may be a URL with a password that was put in the wrong place or is malformed. */
export const hideCredentials = (text: string): string => text.replace(/^(mongodb(?:\+srv)?:\/\/)?.*@/is, '$1***@')
