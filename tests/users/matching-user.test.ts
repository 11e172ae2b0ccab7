import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { matchingUser } from '../../src/domains/people/users/issue-token.ts'
import type { Candidates, KnownUser } from '../../src/domains/people/users/candidate-store.ts'
import type { UserId } from '../../src/access/user-id.ts'
import { ProblemError } from '../../src/kernel/problem-error.ts'

const hash = (text: string) => Buffer.from(text)

/** A platform's users: everyone has a phone, some an id proof. */
const people = fc.uniqueArray(fc.record({ phone: fc.nat(6), proof: fc.option(fc.nat(6), { nil: null }) }), {
  maxLength: 5,
  selector: ({ phone }) => phone,
})
const calls = fc.record({ phone: fc.nat(6), proof: fc.option(fc.nat(6), { nil: null }) })

describe('the user found by id proof and phone', () => {
  it('is one user or none, and a 409 whenever they identify two people', () => {
    fc.assert(
      fc.property(people, calls, (users, call) => {
        const proofs = users.map(({ proof }) => proof).filter((proof) => proof !== null)
        fc.pre(new Set(proofs).size === proofs.length) // an id proof belongs to one person
        const byPhone = users.findIndex(({ phone }) => phone === call.phone)
        const byProof = call.proof === null ? -1 : users.findIndex(({ proof }) => proof === call.proof)
        const found = byProof === -1 ? byPhone : byProof
        const known = (index: number): KnownUser => ({
          id: `00000000000${index}` as UserId,
          isOnboarded: false,
          revision: 1,
          phoneHash: hash(`phone ${users[index]?.phone}`),
          otherPhoneHash: null,
          sessionEpoch: 0,
          idProofHash: users[index]?.proof === null ? null : hash(`proof ${users[index]?.proof}`),
          stored: undefined,
        })
        const candidates: Candidates = {
          byIdProof: byProof === -1 ? null : `00000000000${byProof}`,
          byPhone: byPhone === -1 ? null : `00000000000${byPhone}`,
          user: found === -1 ? undefined : known(found),
        }
        const identity = {
          hashKey: 'test',
          phoneHash: hash(`phone ${call.phone}`),
          idProofHash: call.proof === null ? null : hash(`proof ${call.proof}`),
          idProofLast4: null,
        }
        const areTwo =
          (byProof !== -1 && byPhone !== -1 && byProof !== byPhone) ||
          (byProof === -1 && call.proof !== null && byPhone !== -1 && users[byPhone]?.proof !== null)
        if (areTwo) assert.throws(() => matchingUser(identity, candidates), ProblemError)
        else assert.equal(matchingUser(identity, candidates)?.id, found === -1 ? undefined : `00000000000${found}`)
      }),
      { numRuns: 2_000 },
    )
  })
})
