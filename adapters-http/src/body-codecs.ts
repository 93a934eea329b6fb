import type { TextField } from '@snippets/domain/rules.js'
import type { Changes, Content } from '@snippets/domain/snippet.js'
import { parseText } from '@snippets/domain/text.js'
import * as t from 'io-ts'
import { codec } from './codec.js'

const texts = {
  title: codec('title', parseText('title')),
  code: codec('code', parseText('code')),
  language: codec('language', parseText('language')),
} satisfies Record<TextField, t.Mixed>

/** Fields that are not the author's are dropped, so that what was read can be written back. */
export const contentCodec: t.Decoder<unknown, Content> = t.strict(texts)

/** JSON has no undefined, so a field that is there has a value. */
export const changesCodec: t.Decoder<unknown, Changes> = t.exact(t.partial(texts)) as t.Decoder<unknown, Changes>
