import { FIELD_ERROR_WORDS } from '../../src/domains/problem-descriptions.ts'
import { entry } from './errors-page.ts'
import { page } from './markdown.ts'

const INTRODUCTION = `The codes in \`errors\` of a [\`validation_failed\`](errors.md#validation_failed), which has one entry for each error in the input.
\`pointer\` is a JSON Pointer into the body (\`/dependants/3/date_of_birth\`), or names a parameter: \`query:limit\`, \`path:user_id\`,
\`header:idempotency-key\`.`

export const fieldCodesPage = (): string =>
  page(
    'Errors in the input',
    INTRODUCTION,
    '## Codes',
    ...Object.entries(FIELD_ERROR_WORDS).map(([code, { meaning, remedy, example }]) =>
      entry(code, { meaning, remedy, example: { code, ...example } }),
    ),
  )
