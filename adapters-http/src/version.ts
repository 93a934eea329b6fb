/** As in package.json; a test compares them. */
export const version = '1.0.0'
