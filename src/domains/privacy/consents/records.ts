import { type Static, Type } from 'typebox'
import { CONSENT_PURPOSES } from '../../../access/consent-rules.ts'
import { decodeUserId } from '../../../access/user-id.ts'
import { decoded, nullable, oneOf, type RecordOf, text, time } from '../../../kernel/db/columns.ts'
import { Nullable, OneOf, PathId, record, Timestamp } from '../../../kernel/http/schemas.ts'
import { choice, entity, field, internal } from '../../../record/index.ts'
import { UserPath } from '../../people/users/index.ts'
import { UserIdText } from '../../user-id-text.ts'

export const GIVERS = ['SELF', 'PARENT', 'GUARDIAN'] as const
export const VERIFICATIONS = ['HELD_DETAILS', 'DETAILS_GIVEN', 'TOKEN'] as const
export const BASES = ['CONSENT', 'NOTICED_BEFORE'] as const

export const VERIFIED_BY =
  'How it was verified that a parent or guardian is an adult: by details that the platform held, by details that they gave, or by a ' +
  'virtual token'
export const BASIS = 'A consent, or one from before the Act whose notice was given since (section 5(2))'

/** The columns and the fields that are not sealed. */
export const CONSENTS = entity(
  'consents c',
  'StoredConsent',
  {
    id: field(text('consent_id'), Type.String(), 'cst_06bnv3m2r8f1s4k7q9t3v6w0y2'),
    userId: field(decoded('user_id', decodeUserId), UserIdText(), '012345678901'),
    purpose: choice('purpose', CONSENT_PURPOSES, 'insurance', { description: 'What it is for' }),
    dependantId: field(
      nullable(text('dependant_id')),
      Nullable(Type.String({ description: 'The dependant whose data it is about; `null`: the user' })),
      null,
    ),
    noticeVersion: field(text('notice_version'), Type.String({ description: 'Version of the notice' }), '2027-05'),
    language: field(text('language'), Type.String({ description: 'Language of the notice (BCP 47)' }), 'en'),
    givenBy: choice('given_by', GIVERS, 'SELF', { description: 'Who gave it' }),
    verifiedBy: field(
      nullable(oneOf('verified_by', VERIFICATIONS)),
      Nullable(OneOf(VERIFICATIONS, { description: VERIFIED_BY })),
      null,
    ),
    basis: choice('basis', BASES, 'CONSENT', { description: BASIS }),
    withdrawnAt: field(nullable(time('withdrawn_at')), Nullable(Timestamp('Time of its withdrawal')), null),
    endedAt: field(
      nullable(time('ended_at')),
      Nullable(
        Timestamp(
          'Time since when it counts no longer: a parent or guardian gave it, and everybody it is about are 18',
        ),
      ),
      null,
    ),
    platformId: internal(text('platform_id')),
    proofSealed: internal(nullable(text('proof_sealed'))),
    actor: internal(text('actor')),
  },
  { description: 'A consent without what is sealed', key: ['userId', 'id'], madeAt: '2027-05-14T09:30:00' },
)
export type StoredConsent = RecordOf<typeof CONSENTS>
export type Consent = StoredConsent & { proof: string | null }

const proof = Nullable(Type.String({ description: 'What shows that it was given; kept encrypted' }))

export const ConsentRecord = record(
  'Consent',
  { ...CONSENTS.schema.properties, proof },
  {
    description: 'The consent of a person to one purpose. One that is withdrawn or has ended stays',
    examples: [
      { ...(CONSENTS.schema as { examples?: object[] }).examples?.[0], proof: 'Screen 4 of the app, version 7.1' },
    ],
  },
)

export const presentConsent = (consent: Consent): Static<typeof ConsentRecord> => ({
  ...CONSENTS.present(consent),
  proof: consent.proof,
})

export const ConsentPath = Type.Object({ ...UserPath.properties, consent_id: PathId('The consent') })
