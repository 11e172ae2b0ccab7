import { Type } from 'typebox'
import { PathId } from '../../../kernel/http/schemas.ts'
import { notFound } from '../../../kernel/problem-error.ts'
import { operation } from '../../../record/index.ts'
import { MACHINE_NAMES } from './states.ts'
import { presentMachine, StateMachineRecord, tags } from './records.ts'

export const readStateMachine = operation('GET /meta/state_machines/:state_machine_name', {
  access: 'readStateMachine',
  tags,
  summary: 'Read a state machine',
  description: 'The states of one kind of record, as in the list.',
  params: Type.Object({ state_machine_name: PathId('The kind of record, such as `insurance_policy`') }),
  response: { 200: StateMachineRecord },
  problems: ['not_found'],
  target: async ({ params }) => {
    const name = MACHINE_NAMES.find((known) => known === params.state_machine_name)
    if (!name) throw notFound()
    return name
  },
  read: ({ target: name }) => presentMachine(name),
})
