/** Returns a `describe` for tests that need a database. Without the variable, which holds its URL, they are not defined. */
export const describeWith =
  (variable: string) =>
  (title: string, define: (url: string) => void): void => {
    const url = process.env[variable]
    if (url !== undefined) describe(title, () => define(url))
  }
