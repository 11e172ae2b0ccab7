/** A part of what a build server runs. */
export type Stage = {
  name: string
  command: string[]
  /** How many cores it keeps busy while it runs, and how long it takes on two quiet ones: as measured, for the order of the stages. */
  cores: number
  wall_s: number
  /** The stage that has to have ended before. */
  after?: string
  /**
   * What runs those of its files once more, alone, that failed; the whole stage where it has no files. Only for stages
   * whose tests stop processes, wait for a browser, or count on the machine's time.
   */
  again?: 'files' | 'whole'
}

const PACKAGES = 'packages'

/** Everything that a build server runs once the packages of npm are installed. */
export const STAGES: readonly Stage[] = [
  { name: PACKAGES, command: ['node', 'tests/run/fetch-packages.ts'], cores: 0.3, wall_s: 60 },
  { name: 'test', command: ['npm', 'test'], cores: 1.5, wall_s: 43 },
  { name: 'system', command: ['npm', 'run', 'test:system'], cores: 1.4, wall_s: 350, again: 'files' },
  {
    name: 'browser',
    command: ['npm', 'run', 'test:browser'],
    cores: 1.5,
    wall_s: 230,
    after: PACKAGES,
    again: 'files',
  },
  {
    name: 'test:faults',
    command: ['npm', 'run', 'test:faults', '--', '--kills', '15'],
    cores: 0.9,
    wall_s: 78,
    again: 'whole',
  },
  {
    name: 'disk full',
    command: ['npm', 'run', 'test:faults', '--', '--kills', '1', '--scenario', 'disk-full'],
    cores: 0.7,
    wall_s: 35,
    again: 'whole',
  },
  { name: 's3', command: ['npm', 'run', 'test:s3'], cores: 0.8, wall_s: 10, after: PACKAGES },
  { name: 'alerts', command: ['npm', 'run', 'test:alerts'], cores: 0.9, wall_s: 7, after: PACKAGES },
  { name: 'dump', command: ['npm', 'run', 'test:dump'], cores: 0.8, wall_s: 30, after: PACKAGES },
  { name: 'upgrade', command: ['npm', 'run', 'test:upgrade'], cores: 1.2, wall_s: 70, again: 'files' },
  { name: 'package', command: ['npm', 'run', 'test:package'], cores: 1, wall_s: 105, after: PACKAGES },
  { name: 'deploy', command: ['npm', 'run', 'test:deploy'], cores: 0.9, wall_s: 80, after: PACKAGES, again: 'files' },
  { name: 'world', command: ['npm', 'run', 'test:world'], cores: 0.8, wall_s: 20, after: PACKAGES, again: 'files' },
  { name: 'static', command: ['npm', 'run', 'check:static'], cores: 1.7, wall_s: 31 },
]
