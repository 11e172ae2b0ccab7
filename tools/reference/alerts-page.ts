import { readFileSync } from 'node:fs'
import { anchorOf, page, table } from './markdown.ts'

const RULES = new URL('../../deploy/observability/alerts.yml', import.meta.url)

const INTRODUCTION = `The rules of \`deploy/observability/alerts.yml\`. Each name leads to what it means, what to check and what to do. \`critical\` should wake
somebody up, \`warning\` can wait until the morning, \`info\` is for who looks after partners.`

type Alert = { name: string; severity: string; duration: string; expression: string; description: string }

/** Returns the alerts of the file of rules, in its order; fails at one that lacks a part. */
export const readAlerts = (): Alert[] =>
  readFileSync(RULES, 'utf8')
    .split(/^ +- alert: /m)
    .slice(1)
    .map((rule) => {
      const part = (pattern: RegExp) => pattern.exec(rule)?.[1]
      const required = (name: string, pattern: RegExp) => {
        const found = part(pattern)
        if (found === undefined) throw new Error(`an alert without ${name}: ${rule}`)
        return found
      }
      return {
        name: required('name', /^(\w+)$/m),
        severity: required('severity', /severity: (\w+)/),
        duration: part(/^ +for: (\w+)$/m) ?? 'at once',
        expression: required('expression', /^ +expr: (.+)$/m),
        description: required('description', /^ +description: (.+)$/m),
      }
    })

/** Returns the page of all alerts. */
export const alertsPage = (): string =>
  page(
    'Alert rules',
    INTRODUCTION,
    table(
      ['Alert', 'Severity', 'Says', 'Fires when', 'For'],
      readAlerts().map(({ name, severity, duration, expression, description }) => [
        `[${name}](../operators/alerts.md#${anchorOf(name)})`,
        severity,
        description,
        `\`${expression}\``,
        duration,
      ]),
    ),
  )
