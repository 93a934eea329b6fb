export const json = 'application/json'
export const mergePatch = 'application/merge-patch+json'
export const problemJson = 'application/problem+json'
