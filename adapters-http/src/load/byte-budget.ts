/** Bytes that requests or responses in progress hold together, and their limit. */
export type ByteBudget = { readonly maxBytes: number; taken: number }
