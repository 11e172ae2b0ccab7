import type { Kind, Setting } from '../kernel/settings/setting.ts'
import { SETTINGS } from './table.ts'

export function settingsSchema(): object {
  const properties = Object.entries<Setting>(SETTINGS).flatMap(([name, setting]) => [
    [name, { description: setting.meaning, ...toType(setting), ...toDefault(setting) }],
    ...(setting.secret ? [[`${name}_FILE`, { description: `a file with the value of ${name}`, type: 'string' }]] : []),
  ])
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Settings of Banyan',
    description: 'The file that BANYAN_CONFIG names. Variables of the environment win.',
    type: 'object',
    properties: { $schema: { type: 'string' }, ...Object.fromEntries(properties) },
    additionalProperties: false,
  }
}

function toType(setting: Kind): object {
  switch (setting.kind) {
    case 'integer':
      return { type: 'integer', minimum: setting.min, maximum: setting.max }
    case 'integers':
      return { type: 'string', pattern: '^\\s*\\d{1,9}\\s*(,\\s*\\d{1,9}\\s*)*$' }
    case 'days':
      return { type: 'string', pattern: '^\\s*\\d{1,9}\\s*(,\\s*\\d{4}-\\d\\d-\\d\\d:\\d{1,9}\\s*)*$' }
    case 'ratio':
      return { type: 'number', minimum: 0, maximum: 1 }
    case 'flag':
      return { type: 'boolean' }
    case 'choice':
      return { enum: setting.values }
    case 'url':
    case 'origin':
      return { type: 'string', pattern: `^(${setting.protocols.join('|')})//` }
    case 'text':
      return { type: 'string', minLength: 1 }
  }
}

function toDefault({ kind, fallback }: Setting): object {
  if (fallback === undefined) return {}
  return { default: ['integer', 'ratio', 'flag'].includes(kind) ? JSON.parse(fallback) : fallback }
}
