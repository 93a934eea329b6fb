/** Bytes that requests or responses in progress hold together, and their limit. */
export type ByteBudget = { readonly maxBytes: number; taken: number }

/** The default limit of the bytes that clients have not read. */
export const defaultUnsentBytes = 64 * 1024 * 1024
