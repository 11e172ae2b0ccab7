import { createBenefit } from './create-benefit.ts'
import { deleteBenefit } from './delete-benefit.ts'
import { listBenefits } from './list-benefits.ts'
import { readBenefit } from './read-benefit.ts'
import type { IsInUse } from './store.ts'
import { updateBenefit } from './update-benefit.ts'

export {
  type Benefit,
  GRACE_COVERS,
  graceCoverOf,
  hasPremiumGate,
  Money,
  PremiumAmounts,
  premiumGateOf,
} from './records.ts'

/**
 * The operations, for the SQL of the domain that uses benefits: partners do not import cover, so the app passes its
 * `isInUse` here, and only `deleteBenefit` takes it.
 */
export const benefitOperations = ({ isInUse }: { isInUse: IsInUse }) => [
  createBenefit,
  listBenefits,
  readBenefit,
  updateBenefit,
  deleteBenefit(isInUse),
]
