export const json = 'application/json'
export const mergePatch = 'application/merge-patch+json'
export const problemJson = 'application/problem+json'
export const plainText = 'text/plain; charset=utf-8'
