import { type Static, Type } from 'typebox'
import { actorFrom, actorOf } from '../../../access/caller.ts'
import { CONSENT_PURPOSES, isAdult } from '../../../access/consent-rules.ts'
import { scopeOnUser } from '../../../access/scope.ts'
import { todayIn } from '../../../kernel/clock.ts'
import type { Day } from '../../../kernel/date.ts'
import { Lines, OneOf, OrNull, Text } from '../../../kernel/http/schemas.ts'
import { newId } from '../../../kernel/id.ts'
import { type FieldError, invalid, unknownReference } from '../../../kernel/problem-error.ts'
import {
  applyWithRetry,
  type Author,
  type Change,
  type Deps,
  operation,
  responding,
  unchanged,
} from '../../../record/index.ts'
import { listLines, unsealDependant } from '../../people/dependants/index.ts'
import { ensureUserInPath, type User, UserPath } from '../../people/users/index.ts'
import { NoticeLanguage, NoticeVersion, tags } from '../notices/records.ts'
import { findNotice, FREEZE_NOTICE, type NoticeKey } from '../notices/store.ts'
import {
  BASES,
  BASIS,
  type Consent,
  ConsentRecord,
  GIVERS,
  presentConsent,
  VERIFICATIONS,
  VERIFIED_BY,
} from './records.ts'
import {
  consentEvents,
  findGiver,
  insertConsent,
  LINKED_SETTLE_OF_AGE,
  LINKED_SETTLE_WITHDRAWN,
  PROOF,
} from './store.ts'

const PROOF_MAX = 2_000

const ConsentInput = Type.Object(
  {
    purpose: OneOf(CONSENT_PURPOSES, { description: 'What it is for' }),
    notice_version: NoticeVersion,
    language: NoticeLanguage,
    given_by: OneOf(GIVERS, { description: 'Who gave it' }),
    verified_by: OrNull(OneOf(VERIFICATIONS, { description: VERIFIED_BY })),
    dependant_id: OrNull(Text({ maxLength: 100, description: 'Any version of the dependant whose data it is about' })),
    basis: OneOf(BASES, { description: BASIS }),
    proof: OrNull(Lines({ maxLength: PROOF_MAX, description: 'What shows that it was given; kept encrypted' })),
  },
  {
    examples: [
      {
        purpose: 'insurance',
        notice_version: '2027-05',
        language: 'en',
        given_by: 'SELF',
        basis: 'CONSENT',
        proof: 'Screen 4 of the app, version 7.1',
      },
    ],
  },
)
type ConsentInput = Static<typeof ConsentInput>

export const giveConsent = operation('POST /users/:user_id/consents', {
  access: 'giveConsent',
  tags,
  summary: 'Record a consent',
  description:
    'The consent of a person to one purpose, on a notice that was set before. Who is below 18 by the stored birth has a PARENT or GUARDIAN ' +
    'consent, who is 18. `children` is the consent of the user for the children they register within 24 hours of it. What names the ' +
    'notice makes it unchangeable.',
  params: UserPath,
  body: ConsentInput,
  response: { 201: ConsentRecord },
  checkTargetFirst: ensureUserInPath,
  prepare: async ({ deps, request, params, body }) => {
    const author = actorFrom(request)
    const { notice } = await findBasis(deps, { userId: params.user_id, input: body }, author)
    if (notice.namedAt === null) await freeze(deps, notice, author)
  },
  serializeBy: ({ params }) => params.user_id,
  change: ({ deps, params, body }, author) => decide(deps, { userId: params.user_id, input: body }, author),
  present: (consent) => responding(presentConsent(consent), 201),
})

type Command = { userId: string; input: ConsentInput }

async function decide(deps: Deps, command: Command, author: Author): Promise<Change<Consent>> {
  const { user, providers, dependant } = await findBasis(deps, command, author)
  const { input } = command
  const { key, platformId, id: userId } = user
  const id = newId('cst')
  const proof = input.proof ?? null
  const change = insertConsent(
    {
      id,
      userId,
      platformId,
      purpose: input.purpose,
      dependantId: dependant?.id ?? null,
      noticeVersion: input.notice_version,
      language: input.language,
      givenBy: input.given_by,
      verifiedBy: input.verified_by ?? null,
      basis: input.basis,
      proofSealed: proof === null ? null : PROOF.seal(key, { userId, id }, proof),
      actor: actorOf(author.caller),
      withdrawnAt: null,
      endedAt: null,
    },
    author.at,
  )
  return {
    ...change,
    result: { ...change.result, proof },
    rows: settledRows(input, { userId, dependant }),
    events: consentEvents('consent.given', { consent: change.result, providers }),
  }
}

type Subject = { id: string; firstId: string; versions: string[]; born: Day } | null

/** Returns what is waited for no longer: the consent of who turned 18, and what follows from a withdrawal before. */
function settledRows(input: ConsentInput, { userId, dependant }: { userId: string; dependant: Subject }) {
  const ofAge = dependant?.firstId ?? (input.given_by === 'SELF' ? userId : undefined)
  return {
    ...LINKED_SETTLE_OF_AGE.rows(ofAge === undefined ? [] : [{ first_id: ofAge }]),
    ...LINKED_SETTLE_WITHDRAWN.rows([{ purpose: input.purpose, versions: dependant?.versions ?? null }]),
  }
}

/** Reads what a consent depends on. Throws 404 for a user out of scope, and 422 for what no consent can be. */
async function findBasis(deps: Deps, { userId, input }: Command, { caller }: Pick<Author, 'caller'>) {
  const { user, providers } = await findGiver(deps, scopeOnUser(caller, userId))
  const key = { platformId: user.platformId, version: input.notice_version, language: input.language }
  const notice = await findNotice(deps.db, key)
  const dependant = await findDependant(deps, user, input.dependant_id ?? null)
  const born = { user: user.profile.dob ?? null, dependant: dependant?.born ?? null }
  const errors = [
    ...(notice
      ? []
      : [unknownReference('/notice_version', 'The platform has no notice of this version in this language.')]),
    ...(dependant === undefined ? [NO_DEPENDANT] : giverErrors(input, { born, today: todayIn(deps.calendar) })),
  ]
  if (!notice || errors.length > 0) throw invalid(errors)
  return { user, providers, notice: { ...key, namedAt: notice.namedAt }, dependant: dependant ?? null }
}

const NO_DEPENDANT = unknownReference('/dependant_id', 'The user has no dependant with this id.')

/** Returns the current version of a dependant, null when none is named, undefined when the user has none with this id. */
async function findDependant(
  { db }: Deps,
  { id: userId, key }: User,
  version: string | null,
): Promise<Subject | undefined> {
  if (version === null) return null
  const line = (await listLines(db, userId)).find(({ versions }) => versions.includes(version))
  if (line === undefined) return undefined
  const { date_of_birth: born } = unsealDependant(key, { userId, ...line })
  return { ...line, born }
}

type People = { born: { user: Day | null; dependant: Day | null }; today: Day }

/** Returns what is wrong with who gives a consent for whose data. Pure. A birth that is not stored counts as neither. */
export function giverErrors(
  input: Pick<ConsentInput, 'purpose' | 'given_by' | 'verified_by' | 'dependant_id'>,
  { born, today }: People,
): FieldError[] {
  const userIsAdult = born.user === null ? undefined : isAdult(born.user, today)
  const error = (pointer: string, detail: string): FieldError[] => [{ pointer, code: 'not_allowed', detail }]
  if (input.purpose === 'children') {
    if (userIsAdult !== true) return error('/purpose', 'The user must be 18 or older by the stored date of birth.')
    if (input.given_by === 'SELF')
      return error('/given_by', 'The consent for children is that of a PARENT or GUARDIAN.')
  }
  if (input.given_by !== 'SELF' && (input.verified_by ?? null) === null) {
    return [{ pointer: '/verified_by', code: 'required', detail: 'Say how the parent or guardian was verified.' }]
  }
  if (input.purpose === 'children' && born.dependant === null) return []
  const isOfAdult = born.dependant === null ? userIsAdult : isAdult(born.dependant, today)
  if (input.given_by === 'SELF' && isOfAdult === false)
    return error('/given_by', 'The person is below 18: a PARENT or GUARDIAN consents.')
  if (input.given_by !== 'SELF' && isOfAdult === true)
    return error('/given_by', 'The person is 18 or older, and consents as SELF.')
  if (input.given_by !== 'SELF' && born.dependant !== null && userIsAdult !== true)
    return error(
      '/given_by',
      'The user, who consents for the dependant, must be 18 or older by the stored date of birth.',
    )
  return []
}

/** Makes the notice unchangeable, unless a concurrent call has done so. */
const freeze = (deps: Deps, { platformId, version, language }: NoticeKey, actor: Omit<Author, 'at'>) =>
  applyWithRetry(deps, actor, async ({ at }) => {
    const notice = await findNotice(deps.db, { platformId, version, language })
    if (!notice || notice.namedAt !== null) return unchanged(undefined)
    return { result: undefined, ...FREEZE_NOTICE.with({ platform_id: platformId, version, language, at }) }
  })
