import { hideCredentials } from '@snippets/apps/operator-messages.js'
import { expect } from 'chai'

/** Texts with the password `s3cret`, and their masked forms. */
const masked: Readonly<Record<string, string>> = {
  'postgres://me:s3cret@h/x': 'postgres://***@h/x',
  'postgres://s3cret@h/x': 'postgres://***@h/x',
  'postgres://h/x?user=me&password=s3cret': 'postgres://h/x?***',
  'mysql://h/x?sslkey=s3cret&a=b': 'mysql://h/x?***',
  'redis+tls://h?s3cret': 'redis+tls://h?***',
  'MONGODB://me:s3cret@h/?w=1': 'MONGODB://***@h/?***',
  'mongodb://me:s3/cr et:s3cret@h,i/x': 'mongodb://***@h,i/x',
  'mongodb://me:s3cret?s3cret@h/x': 'mongodb://***',
  'postgres://h/x?password=s3@s3cret': 'postgres://***',
  'postgres:/h/x?password=s3cret': 'postgres:/h/x?password=***',
  '/data/postgres:/me:s3cret@h/x cannot be made': '***@h/x cannot be made',
  'host=h password=s3cret dbname=x': 'host=h password=***',
  'Server=h;Pwd=s3cret;Database=x': 'Server=h;Pwd=***',
  '--api-token=s3cret': '--api-token=***',
  'me:s3cret@h\ns3cret@h': '***@h',
  [`/etc/snippets_${'s3cret-_'.repeat(5)}s3c cannot be read`]: '/etc/snippets_*** cannot be read',
}

describe('hideCredentials', () => {
  for (const [text, shown] of Object.entries(masked))
    it(`masks the credentials in ${JSON.stringify(text)}`, () => {
      expect(hideCredentials(text)).to.equal(shown)
    })

  for (const text of [
    '',
    '/var/lib/snippets',
    './data?',
    'postgres://h:5432/x',
    'C:\\data',
    'Why not? It is in use.',
    "/srv/a@b cannot be used (ENOENT: no such file or directory, open '/srv/a@b/c')",
    '/backups/snippets@2026-11-26.ndjson',
    '/keys/primary_key=1/data is in use by another process',
  ])
    it(`leaves a text without credentials unchanged: ${JSON.stringify(text)}`, () => {
      expect(hideCredentials(text)).to.equal(text)
    })
})
