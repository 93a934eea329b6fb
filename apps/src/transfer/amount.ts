/** `1 row`, `2 rows` */
export const amount = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
