/** Returns a `describe` that defines its tests only if this variable has the URL of a database. */
export const describeWith =
  (variable: string) =>
  (title: string, define: (url: string) => void): void => {
    const url = process.env[variable]
    if (url !== undefined) describe(title, () => define(url))
  }
