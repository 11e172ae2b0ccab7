import { listEndorsements } from './list-endorsements.ts'
import { listMembers } from './list-members.ts'
import { readEndorsement } from './read-endorsement.ts'
import { searchEndorsements } from './search-endorsements.ts'
import { setEndorsementState } from './set-endorsement-state.ts'
import { setMember } from './set-member.ts'
import { setNominee } from './set-nominee.ts'

export { LINKED_DECISIONS, LINKED_ENDORSEMENTS } from './linked-store.ts'
export { decodePending, pendingText } from './pending-store.ts'
export { ENDORSEMENT_MACHINE, ENDORSEMENT_STATES } from './states.ts'
export { requestEndorsement, settle } from './settle.ts'
export { ListedEndorsementRecord as EndorsementSchema, presentListed as presentEndorsement } from './records.ts'
export { ERASE_ENDORSEMENTS, listOfUser as listEndorsementsOfUser } from './store.ts'

export const endorsementOperations = [
  listEndorsements,
  searchEndorsements,
  readEndorsement,
  setEndorsementState,
  setNominee,
  listMembers,
  setMember,
]
