import type { ComponentType } from 'react'
import { RIGHTS } from '../api/rights.ts'
import { ADMINISTRATORS, type Role, ROLES, WRITERS } from '../api/roles.ts'
import { sandboxUrl } from '../api/sandbox-url.ts'

export type Screen = {
  /** `$name` stands for an id. */
  path: string
  title: string
  /** Roles that see it. */
  who: readonly Role[]
  /** Its place in the navigation; screens of one record have none. */
  group?: 'Work' | 'People' | 'Partners' | 'Operation'
  /** Pressed after `g`. */
  key?: string
  /** Only where the server runs with its sandbox. */
  needsSandbox?: true
  load: () => Promise<{ Screen: ComponentType }>
}

/** Every screen: the router, the navigation, the help on keys and the tests are made from this table. */
export const SCREENS: readonly Screen[] = [
  { path: '/', title: 'Home', who: ROLES, group: 'Work', key: 'h', load: () => import('../screens/home/index.tsx') },
  {
    path: '/my-day',
    title: 'My day',
    who: ROLES,
    group: 'Work',
    key: 'y',
    load: () => import('../screens/my-day/index.tsx'),
  },
  {
    path: '/search',
    title: 'Search',
    who: ROLES,
    group: 'Work',
    key: 's',
    load: () => import('../screens/search/index.tsx'),
  },
  {
    path: '/policies',
    title: 'Policies',
    who: ROLES,
    group: 'Work',
    key: 'p',
    load: () => import('../screens/policies/index.tsx'),
  },
  {
    path: '/endorsements',
    title: 'Endorsements',
    who: RIGHTS.listEndorsements,
    group: 'Work',
    key: 'n',
    load: () => import('../screens/endorsements/index.tsx'),
  },
  {
    path: '/consultations',
    title: 'Consultations',
    who: RIGHTS.listAllConsultations,
    group: 'Work',
    key: 'c',
    load: () => import('../screens/consultations/index.tsx'),
  },
  {
    path: '/wallets',
    title: 'Wallets',
    who: RIGHTS.listAllWallets,
    group: 'Work',
    key: 'w',
    load: () => import('../screens/wallets/index.tsx'),
  },
  {
    path: '/accounts',
    title: 'Accounts',
    who: RIGHTS.listAllAccounts,
    group: 'Work',
    key: 'b', // of the bank; the audit has the a
    load: () => import('../screens/accounts/index.tsx'),
  },
  {
    path: '/imports',
    title: 'Imports',
    who: RIGHTS.createImport,
    group: 'Work',
    key: 'i',
    load: () => import('../screens/imports/index.tsx'),
  },
  {
    path: '/users/$userId/policies/$policyId',
    title: 'Policy',
    who: ROLES,
    load: () => import('../screens/policy/index.tsx'),
  },
  {
    path: '/users/$userId/consultations/$consultationId',
    title: 'Consultation',
    who: RIGHTS.listMessages,
    load: () => import('../screens/consultation/index.tsx'),
  },
  {
    path: '/users/$userId',
    title: 'Person',
    who: RIGHTS.readUser,
    load: () => import('../screens/person/index.tsx'),
  },
  {
    path: '/events',
    title: 'Events',
    who: ROLES,
    group: 'Operation',
    key: 'e',
    load: () => import('../screens/events/index.tsx'),
  },
  {
    path: '/audit',
    title: 'Audit',
    who: ['owner'],
    group: 'Operation',
    key: 'a',
    load: () => import('../screens/audit/index.tsx'),
  },
  {
    path: '/states',
    title: 'State machines',
    who: ROLES,
    group: 'Operation',
    key: 'm',
    load: () => import('../screens/states/index.tsx'),
  },
  {
    path: '/sandbox',
    title: 'Sandbox',
    who: ADMINISTRATORS,
    group: 'Operation',
    key: 'x',
    needsSandbox: true,
    load: () => import('../screens/sandbox/index.tsx'),
  },
  {
    path: '/sponsors',
    title: 'Sponsors',
    who: [...ADMINISTRATORS, 'platform'],
    group: 'Partners',
    load: () => import('../screens/sponsors/index.tsx'),
  },
  {
    path: '/sponsors/$sponsorId',
    title: 'Sponsor',
    who: [...ADMINISTRATORS, 'platform'],
    load: () => import('../screens/sponsor/index.tsx'),
  },
  {
    path: '/sponsors/$sponsorId/deposits/$benefitProviderId',
    title: 'Deposit',
    who: RIGHTS.listDepositEntries,
    load: () => import('../screens/deposit/index.tsx'),
  },
  {
    path: '/benefits',
    title: 'Benefits',
    who: ROLES,
    group: 'Partners',
    key: 'f',
    load: () => import('../screens/benefits/index.tsx'),
  },
  { path: '/benefits/new', title: 'New benefit', who: WRITERS, load: () => import('../screens/new-benefit/index.tsx') },
  { path: '/benefits/$benefitId', title: 'Benefit', who: ROLES, load: () => import('../screens/benefit/index.tsx') },
  {
    path: '/platforms',
    title: 'Platforms',
    who: ADMINISTRATORS,
    group: 'Partners',
    key: 'l',
    load: () => import('../screens/platforms/index.tsx'),
  },
  {
    path: '/platforms/$platformId',
    title: 'Platform',
    who: ADMINISTRATORS,
    load: () => import('../screens/platform/index.tsx'),
  },
  {
    path: '/benefit_providers',
    title: 'Benefit providers',
    who: ADMINISTRATORS,
    group: 'Partners',
    load: () => import('../screens/benefit-providers/index.tsx'),
  },
  {
    path: '/benefit_providers/$benefitProviderId',
    title: 'Benefit provider',
    who: ADMINISTRATORS,
    load: () => import('../screens/benefit-provider/index.tsx'),
  },
  {
    path: '/account_providers',
    title: 'Account providers',
    who: ADMINISTRATORS,
    group: 'Partners',
    load: () => import('../screens/account-providers/index.tsx'),
  },
  {
    path: '/credentials',
    title: 'Credentials',
    who: ['benefit_provider', 'platform'],
    group: 'Partners',
    load: () => import('../screens/credentials/index.tsx'),
  },
  {
    path: '/exposure/$credentialId',
    title: 'What it read',
    who: RIGHTS.listExposure,
    load: () => import('../screens/exposure/index.tsx'),
  },
  {
    path: '/webhooks',
    title: 'Webhooks',
    who: ROLES,
    group: 'Operation',
    key: 'd',
    load: () => import('../screens/webhooks/index.tsx'),
  },
  {
    path: '/administrators',
    title: 'Administrators',
    who: ['owner'],
    group: 'Operation',
    load: () => import('../screens/administrators/index.tsx'),
  },
]

export const GROUPS = ['Work', 'People', 'Partners', 'Operation'] as const

export const screensFor = (role: Role): readonly Screen[] =>
  SCREENS.filter(({ who, needsSandbox }) => who.includes(role) && (!needsSandbox || sandboxUrl() !== undefined))
