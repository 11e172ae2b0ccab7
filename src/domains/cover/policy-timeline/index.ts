import { listPolicyTimeline } from './list-policy-timeline.ts'

export const timelineOperations = [listPolicyTimeline]
