import type { Settings } from '../kernel/settings/setting.ts'

/** Settings about personal data. */
export const PRIVACY_SETTINGS = {
  REQUIRE_PURPOSE: {
    kind: 'flag',
    meaning:
      '`true` requires administrators to send a `Purpose` header with every operation that opens sealed personal data',
    fallback: 'false',
  },
  AUDIT_ARCHIVE_DAYS: {
    kind: 'integer',
    min: 0,
    max: 3_650,
    meaning:
      'after how many whole days (UTC) sealed batches of the audit are also stored in the document storage, 0 to 3650; they ' +
      'stay in the database',
    fallbackText: 'never',
  },
  ERASURE_NOTICE_HOURS: {
    kind: 'integer',
    min: 0,
    max: 720,
    meaning:
      'hours between the request to erase a user and the erasure, during which it can be cancelled, 0 ' +
      'to 720; 48 where rule 8(2) of the DPDP Rules, 2025, applies',
    fallback: '0',
  },
  ERASURE_HOLD_DAYS: {
    kind: 'integer',
    min: 0,
    max: 3_650,
    meaning:
      'days for which the data of an erased user is held for who has the private key to `ERASURE_HOLD_KEY`, and for nobody else, 0 to ' +
      '3650; 366, a whole year in any case, where rule 8(3) of the DPDP Rules, 2025, applies',
    fallback: '0',
  },
  ERASURE_HOLD_KEY: {
    kind: 'text',
    meaning:
      'the public RSA key, of 3072 bits or more, that the data keys of erased users are wrapped under, as PEM; keep its private half off every server',
    required: 'when `ERASURE_HOLD_DAYS` is more than 0',
    secret: true,
  },
  RETAIN_LEDGER: {
    kind: 'text',
    meaning:
      'how long the bookings of an erased user are retained, and the law that requires it; counted ' +
      'from the end of the financial year of the last one. 5 to 50 years (PMLA, 2002, section 12, ' +
      'requires 5)',
    fallback: '8 years: Companies Act, 2013, section 128(5)',
  },
  RETAIN_POLICY_NUMBERS: {
    kind: 'text',
    meaning: 'the same for policy numbers, 1 to 50 years; the licence of an insurance intermediary can require more',
    fallback: '8 years: Companies Act, 2013, section 128(5)',
  },
} as const satisfies Settings
