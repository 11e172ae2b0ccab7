import { PACKAGE_SETS, unpackSets } from '../support/debian-packages.ts'

/** Downloads and unpacks everything that the tiers take from Debian, where this machine lacks it. */
await unpackSets(PACKAGE_SETS)
