import type { Figures } from './scenario-context.ts'
import type { Supervised } from './processes.ts'
import type { Receiver } from './receivers.ts'
import type { Group, Offence, Traffic } from './traffic.ts'
import type { Finding } from './world.ts'

const TEXTS_MAX = 20

export type Outcome = {
  seed: string
  /** The scenarios. */
  names: string[]
  figures: Figures
  traffic: Traffic
  writes: { acknowledged: number; unknown: number }
  events: { logged: number; receivers: Receiver[] }
  processes: Supervised[]
  settled: { took_s: number; left: string }
  findings: Finding[]
}

/** The figures of a run, and each of them that must be zero. */
export function reportOf(outcome: Outcome) {
  const { seed, names, figures, traffic, writes, events, processes, settled, findings } = outcome
  const sum = (pick: (one: Supervised) => number) => processes.reduce((total, one) => total + pick(one), 0)
  const ofSort = <T extends { sort: string }>(list: T[], sort: T['sort']) =>
    list.filter((one) => one.sort === sort).length
  const bystanders = Object.fromEntries(traffic.outcomes.get('bystander') ?? [])
  const { hotWrites } = figures
  const mustBeNought = {
    lost: ofSort(findings, 'lost'),
    doubled: ofSort(findings, 'doubled'),
    wrong: ofSort(findings, 'wrong') + ofSort<Offence>(traffic.offences, 'wrong'),
    unfinished: settled.left === '' ? 0 : 1,
    responses_500: ofSort<Offence>(traffic.offences, 'internal'),
    responses_503_without_retry_after: ofSort<Offence>(traffic.offences, 'no_retry_after'),
    ended_too_late: ofSort<Offence>(traffic.offences, 'late'),
    refused_wrongly: ofSort<Offence>(traffic.offences, 'refused'),
    bystanders_refused: sumOf(bystanders, isProblem),
    hot_writes_not_done: hotWrites ? hotWrites.asked - hotWrites.done : 0,
  }
  return {
    seed,
    scenarios: names,
    strikes: Object.fromEntries(figures.strikes),
    requests: Object.fromEntries([...traffic.outcomes].map(([group, counts]) => [group, Object.fromEntries(counts)])),
    writes,
    events: eventsOf(events),
    hot_writes: hotWrites ?? null,
    ended_by_themselves: {
      starting: sum((one) => one.ownEnds().starting),
      running: sum((one) => one.ownEnds().running),
    },
    settled_after_s: settled.took_s,
    must_be_nought: mustBeNought,
  }
}

/** The numbers of deliveries, of failures on purpose, and of duplicates. */
function eventsOf({ logged, receivers }: Outcome['events']) {
  const sum = (pick: (one: Receiver) => number) => receivers.reduce((total, one) => total + pick(one), 0)
  const [calls, failed, taken] = [sum((one) => one.calls), sum((one) => one.failed), sum((one) => one.taken.size)]
  return { logged, receivers: receivers.length, calls, failed_by_receivers: failed, came_again: calls - failed - taken }
}

export type Report = ReturnType<typeof reportOf>

/** A bystander that is rejected, or gets no response. */
const isProblem = (outcome: string) => !/^[234]\d\d$/.test(outcome) || outcome === '429'

function sumOf(counts: Record<string, number>, isMeant: (name: string) => boolean): number {
  return Object.entries(counts).reduce((sum, [name, count]) => (isMeant(name) ? sum + count : sum), 0)
}

export const isPassed = ({ must_be_nought }: Report): boolean =>
  Object.values(must_be_nought).every((count) => count === 0)

/** The report for people: tables, and the details of the figures that are not zero. */
export function tablesOf(report: Report, { traffic, findings, settled }: Outcome): string {
  const groups = Object.entries(report.requests) as [Group, Record<string, number>][]
  const texts = [...findings, ...traffic.offences].map(({ sort, text }) => `${sort}: ${text}`)
  if (settled.left !== '') texts.push(`unfinished: ${settled.left}`)
  return [
    table('strikes', report.strikes),
    ...groups.map(([group, counts]) => table(`requests, ${group}`, counts)),
    table('writes', report.writes),
    table('events', report.events),
    table('processes that ended by themselves', report.ended_by_themselves),
    table('must be nought', report.must_be_nought),
    ...(texts.length > 0 ? [texts.slice(0, TEXTS_MAX).join('\n')] : []),
    ...(texts.length > TEXTS_MAX ? [`and ${texts.length - TEXTS_MAX} more`] : []),
  ].join('\n\n')
}

const NAME_WIDTH = 40
const COUNT_WIDTH = 8

function table(title: string, counts: Record<string, number>): string {
  const rows = Object.entries(counts).toSorted(([one], [other]) => one.localeCompare(other))
  const lines = rows.map(([name, count]) => `  ${name.padEnd(NAME_WIDTH)}${String(count).padStart(COUNT_WIDTH)}`)
  return [title, ...lines].join('\n')
}

const COLUMNS = ['Seed', 'Broken', 'Requests', 'Writes', 'Events', 'Lost', 'Doubled', 'Wrong', '500', 'Late', 'Settled']

/** The figures of a run as a Markdown table, as in `docs/reliability.md`. */
export function markdownOf({ seed, scenarios, strikes, requests, writes, events, ...rest }: Report): string {
  const total = (counts: Record<string, number>) => sumOf(counts, () => true)
  const broken = Object.entries(strikes).map(([name, count]) => `${count} × ${name}`)
  const { lost, doubled, wrong, responses_500, ended_too_late } = rest.must_be_nought
  const row = [
    `${seed} (${scenarios.join(', ')})`,
    [total(strikes), ...broken].join('<br>'),
    Object.values(requests).reduce((sum, counts) => sum + total(counts), 0),
    writes.acknowledged,
    events.logged,
    lost,
    doubled,
    wrong,
    responses_500,
    ended_too_late,
    `${rest.settled_after_s} s`,
  ]
  const lines = [COLUMNS, COLUMNS.map(() => '---'), row]
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
