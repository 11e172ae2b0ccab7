import { Type } from 'typebox'
import { ref } from '../../../kernel/http/schemas.ts'
import { operation } from '../../../record/index.ts'
import { MACHINE_NAMES } from './states.ts'
import { presentMachine, StateMachineRecord, tags } from './records.ts'

const ALL = { data: MACHINE_NAMES.map(presentMachine) }

export const listStateMachines = operation('GET /meta/state_machines', {
  access: 'listStateMachines',
  tags,
  summary: 'List state machines',
  description:
    'Every kind of record with states: its states, the transitions between them, who may make each, which of them the calendar makes, and the event. Read from the tables that guard the records.',
  response: { 200: Type.Object({ data: Type.Array(ref(StateMachineRecord)) }) },
  read: () => ALL,
})
