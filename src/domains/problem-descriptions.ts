import type { FieldErrorCode, InputErrorCode } from '../kernel/field-error-codes.ts'
import type { ProblemDescription, ProblemTexts } from '../kernel/http/openapi-problems.ts'
import { PDF_DEFECTS, type PdfDefect } from '../kernel/pdf-inspection/pdf-defects.ts'
import type { ConflictReason, ProblemCode } from '../kernel/problem-error.ts'

/** A code of an error in the input: what is wrong, how to fix it, and an example of the error. */
type FieldErrorDescription = { meaning: string; remedy: string; example: { pointer: string; detail: string } }

const INPUT_ERROR_DESCRIPTIONS: Record<InputErrorCode, FieldErrorDescription> = {
  required: {
    meaning: 'A required value is missing.',
    remedy: 'Send it.',
    example: { pointer: '/phone_number', detail: 'Required.' },
  },
  type: {
    meaning: 'The value has the wrong JSON type. Nothing is converted: `"5"` is a string, not a number.',
    remedy: 'Send the type that `detail` names.',
    example: { pointer: '/amount', detail: 'Must be a whole number.' },
  },
  format: {
    meaning: 'The value has the wrong format.',
    remedy: 'Send it in the format that `detail` describes.',
    example: {
      pointer: '/pan',
      detail: 'A PAN is five capital letters, four digits and a capital letter, such as AAAPL1234C.',
    },
  },
  unknown: {
    meaning: 'The query parameter is unknown; with `Prefer: handling=strict` also: the member of the body is unknown.',
    remedy: 'Check the spelling of the name, or remove it.',
    example: { pointer: 'query:page', detail: 'Unknown name. Check the spelling, or remove it.' },
  },
  not_allowed: {
    meaning: 'The value is not allowed.',
    remedy: 'Send one of the values that `detail` lists. Upper and lower case matter.',
    example: { pointer: '/gender', detail: 'Must be one of: MALE, FEMALE, OTHER.' },
  },
  too_short: {
    meaning: 'The string has too few characters.',
    remedy: 'Send a longer string, or omit the member if it is optional.',
    example: { pointer: '/first_name', detail: 'Must have at least 1 character.' },
  },
  too_long: {
    meaning: 'The string has too many characters.',
    remedy: 'Shorten it to the length given in `detail`.',
    example: { pointer: '/first_name', detail: 'Must have at most 200 characters.' },
  },
  too_few: {
    meaning: 'The list has too few entries.',
    remedy: 'Send at least the number given in `detail`.',
    example: { pointer: '/dependants', detail: 'Must have at least 1 entry.' },
  },
  too_many: {
    meaning: 'The list has too many entries.',
    remedy: 'Send the rest in further requests.',
    example: { pointer: '/dependants', detail: 'Must have at most 50 entries.' },
  },
  too_small: {
    meaning: 'The number is too small.',
    remedy: 'Send a number within the limit given in `detail`.',
    example: { pointer: 'query:limit', detail: 'Must be 1 or more.' },
  },
  too_large: {
    meaning: 'The number is too large, or the day too late.',
    remedy: 'Send a value within the limit given in `detail`.',
    example: { pointer: 'query:limit', detail: 'Must be 100 or less.' },
  },
  duplicate: {
    meaning: 'The entry repeats an earlier one.',
    remedy: 'Send each entry once.',
    example: { pointer: '/dependants/1', detail: 'Repeats an earlier entry. Send each entry once.' },
  },
  unknown_reference: {
    meaning: 'A member of the body or a parameter refers to a record that does not exist or is not yours.',
    remedy: 'Send the id of a record that you can read.',
    example: { pointer: '/benefit_id', detail: 'The user’s platform has no benefit with this id.' },
  },
  expired: {
    meaning: 'The cursor is older than the list.',
    remedy: 'Start again without it. If your last request was within the time that the list covers, you miss nothing.',
    example: {
      pointer: 'query:after',
      detail: 'This event is older than 30 days. Start again without a cursor.',
    },
  },
  unstorable_text: {
    meaning: 'The string contains U+0000 or an unpaired surrogate, which cannot be stored.',
    remedy: 'Remove that character; it usually comes from a string that was cut inside a character.',
    example: { pointer: '/first_name', detail: 'Contains U+0000 or an unpaired surrogate. Remove it.' },
  },
}

const PDF_TYPES = Object.entries(PDF_DEFECTS).map(([code, detail]) => [
  code,
  {
    meaning: 'The uploaded file cannot be used as a document.',
    remedy: 'Create a new file as `detail` says, and upload it.',
    example: { pointer: '', detail },
  },
])

export const FIELD_ERROR_WORDS: Record<FieldErrorCode, FieldErrorDescription> = {
  ...INPUT_ERROR_DESCRIPTIONS,
  ...(Object.fromEntries(PDF_TYPES) as Record<PdfDefect, FieldErrorDescription>),
}

/** What every problem code means to callers, on the page of errors and in the OpenAPI document. */
export const PROBLEM_WORDS: Record<ProblemCode, ProblemDescription> = {
  malformed_request: {
    meaning:
      'The request line, a header or the URL is malformed. At the token endpoint also: the form is invalid, and `error` says why (RFC 6749, 5.2).',
    remedy: 'Send a valid HTTP/1.1 request as `detail` says.',
    example: { detail: 'The Host header is missing.' },
  },
  malformed_json: {
    meaning:
      'The body is not one JSON object in UTF-8, repeats a key, is nested deeper than 32 levels, or contains a number that cannot be represented exactly. `detail` gives the byte offset, counted from 0.',
    remedy: 'Fix the body at that byte; use a JSON library to write it.',
    example: { detail: 'Repeated key in an object at byte 17.' },
  },
  login_failed: {
    meaning:
      'The login could not be verified: it was not started in this browser, took longer than ten minutes, was already completed, or was refused by the identity provider.',
    remedy: 'Log in again at `/v1/auth/oidc/login`.',
    example: { detail: 'No login was started in this browser within the last ten minutes. Log in again.' },
  },
  unauthenticated: {
    meaning: 'The credential is missing, invalid or no longer valid.',
    remedy:
      'Send a valid credential in the `Authorization` header, or in `admin-api-key` where the operation requires it.',
    example: { detail: 'An access token is required. Send it as Authorization: Bearer <token>.' },
  },
  token_expired: {
    meaning: 'The access token has expired.',
    remedy: 'Get a new token and repeat the request.',
    example: { detail: 'The access token has expired.' },
  },
  invalid_refresh_token: {
    meaning: 'The refresh token is unknown, already used or expired, or its session has ended.',
    remedy: 'Let the user sign in again with a one-time code.',
    example: { detail: 'The refresh token is invalid.' },
  },
  otp_invalid: {
    meaning: 'The one-time code is wrong, already used or expired, or had too many wrong attempts.',
    remedy: 'Request a new code with `POST /wallet/v1/auth/otp`.',
    example: { detail: 'The code is invalid.' },
  },
  forbidden: {
    meaning:
      'The credential is valid, but its role may not call this operation, or it may not be used from this IP address, or from this page. In the first case `required` lists the kinds of callers and the roles of administrators that may, and `caller` is yours.',
    remedy:
      'Use a credential of one of the kinds in `required` (`GET /v1/meta/permissions` has all operations), from a network in its `ip_allow_list`. In a page, use the token of a user, and name the page’s origin in the `web_origins` of the platform.',
    example: {
      detail: 'Your role may not call this operation.',
      required: ['operator', 'owner'],
      caller: 'platform',
    },
  },
  not_found: {
    meaning: 'The URL or the record does not exist, or the record is not yours; the response does not say which.',
    remedy: 'Check the URL and the ids in it, and whether the record belongs to the caller.',
    example: { detail: 'Not found, or not yours.' },
  },
  method_not_allowed: {
    meaning: 'The URL does not support this method.',
    remedy: 'Use one of the methods listed in `Allow`.',
    example: { detail: 'This URL supports only the methods listed in Allow.' },
  },
  not_acceptable: {
    meaning: 'None of the media types in `Accept` can be produced.',
    remedy: 'Accept a media type listed in `detail`, or omit `Accept`.',
    example: { detail: 'Supported response types: application/json.' },
  },
  request_timeout: {
    meaning: 'The request did not arrive completely within 15 seconds, or its headers within 8.',
    remedy: 'Send it again, over a faster connection or in smaller parts.',
    example: { detail: 'The request took too long to arrive.' },
  },
  invalid_state: {
    meaning: 'The current state does not allow this transition.',
    remedy: 'Choose one of `allowed_transitions`; `current_state` is the state now.',
    example: {
      detail: 'The state is PENDING. You can change it to VERIFICATION or REJECTED.',
      current_state: 'PENDING',
      allowed_transitions: ['VERIFICATION', 'REJECTED'],
    },
  },
  conflict: {
    meaning: 'The request conflicts with existing data; `reason` says how.',
    remedy: 'See the entry for the `reason` at `/docs/errors#reasons`.',
    example: { detail: 'A booking with this reference already exists.', reason: 'reference_used' },
  },
  idempotency_in_progress: {
    meaning: 'The first request with this `Idempotency-Key` is still in progress.',
    remedy: 'Repeat the request after `Retry-After` seconds.',
    example: { detail: 'The first request with this Idempotency-Key is still in progress. Try again later.' },
  },
  precondition_failed: {
    meaning: 'The record has changed since the version named in `If-Match`.',
    remedy: 'Read the record again, and repeat the change with its new `ETag`.',
    example: { detail: 'The record has changed since you read it. Read it again.' },
  },
  payload_too_large: {
    meaning:
      'The body exceeds the limit: 4 KiB where no token is needed, else 256 KiB and 5,000 values for JSON, and 10 MiB for uploads.',
    remedy: 'Send a smaller body.',
    example: { detail: 'The body is too large: this operation reads at most 256 KiB.' },
  },
  unsupported_media_type: {
    meaning: 'The operation does not support the media type, charset or encoding of the body.',
    remedy: 'Send a media type that the operation lists, in UTF-8 and uncompressed.',
    example: { detail: 'Send the body as application/json, and name that media type in Content-Type.' },
  },
  expectation_failed: {
    meaning: 'The `Expect` header contains something other than `100-continue`.',
    remedy: 'Remove the header.',
    example: { detail: 'The only supported expectation is 100-continue.' },
  },
  validation_failed: {
    meaning: 'The input is invalid; `errors` has one entry for each error.',
    remedy: 'Fix each error as its `detail` says, and send the request again.',
    example: {
      detail: 'The input has one error.',
      errors: [{ code: 'format', ...INPUT_ERROR_DESCRIPTIONS.format.example }],
    },
  },
  idempotency_key_reused: {
    meaning: 'This `Idempotency-Key` was used with a different request.',
    remedy: 'Send a new key with each new request.',
    example: {
      detail: 'This Idempotency-Key was used with a different request. Send a new key with each new request.',
    },
  },
  rate_limited: {
    meaning: 'The rate limit is exceeded; nothing was done.',
    remedy: 'Repeat the request after `Retry-After` seconds.',
    example: { detail: 'The limit `platform` is reached. Try again after the time in Retry-After.' },
  },
  headers_too_large: {
    meaning: 'The URL and the headers exceed 16 KiB.',
    remedy: 'Send fewer or shorter headers.',
    example: { detail: 'The URL and the headers are too large.' },
  },
  internal: {
    meaning: 'The service failed. For a write, the outcome is unknown.',
    remedy: 'Try again; if the error persists, report it with its `request_id`.',
    example: { detail: 'An internal error occurred.' },
  },
  unreadable: {
    meaning:
      'A part of the stored record cannot be decrypted, or the file of a document is missing or damaged. Nothing was changed, and the operators are alerted.',
    remedy: 'Report it with its `request_id`. Lists and exports still show the other records.',
    example: { detail: 'The record is stored, but a part of it cannot be read.' },
  },
  unavailable: {
    meaning: 'The service is temporarily unavailable.',
    remedy:
      'Repeat the request after `Retry-After` seconds, with an `Idempotency-Key` if it must not be applied twice.',
    example: { detail: 'The service is temporarily unavailable. Try again.' },
  },
}

/** What a reason means, how to fix the conflict, and an example `detail`. */
export const CONFLICT_WORDS: Record<ConflictReason, { meaning: string; remedy: string; detail: string }> = {
  insufficient_balance: {
    meaning: 'The balance is lower than the amount.',
    remedy: 'Debit a smaller amount, or credit the wallet first.',
    detail: 'The balance is lower than the amount.',
  },
  reference_used: {
    meaning: 'A booking with this reference already exists.',
    remedy: 'If it is the same booking, do nothing. Otherwise send a new reference.',
    detail: 'A booking with this reference already exists.',
  },
  already_exists: {
    meaning: 'A conflicting record already exists; `existing_ids` names it where the caller may know it.',
    remedy: 'Use the existing record, or send data that do not conflict with it.',
    detail: 'The user already has an account of this type.',
  },
  limit_reached: {
    meaning:
      'A limit has been reached. For a wallet, `limit` names it, `left_paise` has what is left, `free_on` the day its count begins again.',
    remedy: 'Do as `detail` says: remove or close one first, or wait.',
    detail: 'There are already 20 live credentials. Revoke one first.',
  },
  erasure_scheduled: {
    meaning: 'The data of the user are to be erased; a credit or a new policy would put that off.',
    remedy: 'Cancel the erasure with `DELETE /v1/users/{user_id}/erasure`, or leave it.',
    detail: 'The erasure of the user is scheduled. Cancel it first.',
  },
  refund_exceeds: {
    meaning:
      'The refunds of a booking would add up to more than the booking; `left_paise` has what can still be given back.',
    remedy: 'Look at the transactions for what was given back already. Send at most `left_paise`.',
    detail: 'Of this booking, 12000 paise can still be given back.',
  },
  deposit_short: {
    meaning:
      'The deposit of the sponsor at the benefit provider does not hold the amount, or only since `held_from`; `missing_paise` has what it lacks.',
    remedy: 'Have the sponsor pay in at least `missing_paise`, or begin on `held_from`; then repeat the request.',
    detail: 'The deposit lacks ₹2,045.00: it holds ₹10,000.00 of ₹12,045.00.',
  },
  in_use: {
    meaning: 'Open records still use it.',
    remedy: 'End the open records first, then repeat the request.',
    detail: 'Policies that are not EXPIRED or REJECTED use this benefit.',
  },
  archived: {
    meaning: 'It is archived and cannot be used any more.',
    remedy: 'Use a different one.',
    detail: 'The benefit is archived.',
  },
  not_refusable: {
    meaning: 'The endorsement ends the cover of somebody, and nobody is kept on a policy.',
    remedy: 'Accept it, with another day in `on` where yours is right.',
    detail: 'Nobody is kept on a policy: accept it, with another day in `on`.',
  },
  not_withdrawable: {
    meaning: 'What is to be taken back holds already.',
    remedy: 'Send what should hold instead: another day, the former details.',
    detail:
      'The benefit provider has accepted this day already. Send another day instead of `null`, or a new first day.',
  },
  inactive: {
    meaning: 'A record that this request refers to is inactive.',
    remedy: 'Activate what `detail` names, or use a different one.',
    detail: 'The sponsor of the benefit is not active.',
  },
  incomplete: {
    meaning: 'Data that this request needs are missing.',
    remedy: 'Send what `detail` names, then repeat the request.',
    detail: 'The user has no name or no date of birth. Complete them first.',
  },
  term_over: {
    meaning: 'The term and its grace period are over.',
    remedy: 'Start the next term, or enrol the user again.',
    detail: 'The term of the policy and its grace period are over.',
  },
  different_content: {
    meaning: 'It was already completed with different data.',
    remedy: 'Read the existing data; change them with the operation for that, if there is one.',
    detail: 'The user has already completed onboarding with different data.',
  },
  persons_changed: {
    meaning:
      'Persons on the policy were corrected since its status was last set; `persons_version` has the current number.',
    remedy: 'Look at the corrections in the timeline, then send the request again with that `persons_version`.',
    detail:
      'Persons on the policy were corrected since its status was last set. Look at its timeline; if you agree, send `persons_version` 1.',
  },
  different_person: {
    meaning:
      'The `dob` or `gender` sent is not that of the onboarded user with this phone number. Nothing was stored or issued.',
    remedy:
      'If the number has a new owner, give the earlier user their new number first. If it is the same person, correct the user, or send the stored id proof.',
    detail: 'The user with this phone number has another date of birth or gender.',
  },
  assigned: {
    meaning: 'Somebody else works on the policy.',
    remedy: 'Leave it to them, or send the request again with `take_over`.',
    detail: 'Somebody else works on it. To take it from them, send `take_over`.',
  },
  ending: {
    meaning: 'An end of the policy is set, so it is not renewed.',
    remedy: 'Leave it to end, or take the end back first, which is possible until that day.',
    detail: 'The policy ends on 2026-08-12. Take the end back first.',
  },
  consent_missing: {
    meaning:
      'By the platform’s consent rules this needs a consent for `purpose` that is not there, was withdrawn, has ended at 18 or is too old: of the user, or of each of `person_ids`.',
    remedy: 'Show the person the notice, record the consent with `POST …/consents`, then repeat the request.',
    detail: 'The person has given no consent for this purpose, or has withdrawn it.',
  },
}

export const PROBLEM_TEXTS: ProblemTexts = {
  problems: PROBLEM_WORDS,
  fieldErrorExample: { code: 'format', ...INPUT_ERROR_DESCRIPTIONS.format.example },
  pointers:
    'a JSON Pointer into the body (`/dependants/3/date_of_birth`), or a parameter such as `query:limit`, `path:user_id`, `header:idempotency-key`',
}
