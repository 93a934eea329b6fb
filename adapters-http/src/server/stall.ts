/**
 * How long a connection may take nothing of its answer. The kernel takes a piece only once a good part of its buffer is free,
 * and that buffer may be some megabytes, so a client that reads slowly but steadily needs minutes.
 */
export const stallMs = 120_000
