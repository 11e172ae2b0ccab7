import type { ComponentType } from 'react'
import { ADMINISTRATORS, type Role, ROLES, WRITERS } from '../api/roles.ts'

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
  load: () => Promise<{ Screen: ComponentType }>
}

/** Every screen: the router, the navigation, the help on keys and the tests are made from this table. */
export const SCREENS: readonly Screen[] = [
  { path: '/', title: 'Home', who: ROLES, group: 'Work', key: 'h', load: () => import('../screens/home/index.tsx') },
  {
    path: '/policies',
    title: 'Policies',
    who: ROLES,
    group: 'Work',
    key: 'p',
    load: () => import('../screens/policies/index.tsx'),
  },
  {
    path: '/users/$userId/policies/$policyId',
    title: 'Policy',
    who: ROLES,
    load: () => import('../screens/policy/index.tsx'),
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
    path: '/benefits',
    title: 'Benefits',
    who: ROLES,
    group: 'Partners',
    key: 'b',
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

export const screensFor = (role: Role): readonly Screen[] => SCREENS.filter(({ who }) => who.includes(role))
