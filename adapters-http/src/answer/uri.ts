/** Anything but the characters that a path or a query may hold as they are (RFC 3986), and `%`. */
const notInUri = /[^A-Za-z0-9\-._~!$&'()*+,;=:@/?%]/gu

/** A path and query as the client sent them, made fit for a link. Node accepts `"`, `<`, `>` and backticks in a target. */
export const uriOf = (pathAndQuery: string): string => pathAndQuery.replace(notInUri, encodeURIComponent)
