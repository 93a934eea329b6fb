/** Masks user and password before a text is shown: a URL may be malformed or in the wrong setting. */
export const hideCredentials = (text: string): string =>
  text.replace(/^(mongodb(?:\+srv)?:\/\/)?.*@/is, '$1***@').replace(/^(mongodb[^?]*\?).*$/is, '$1***')
