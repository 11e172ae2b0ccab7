import { listPolicyTerms } from './list-policy-terms.ts'
import { listPolicyTimeline } from './list-policy-timeline.ts'

export const timelineOperations = [listPolicyTimeline, listPolicyTerms]
