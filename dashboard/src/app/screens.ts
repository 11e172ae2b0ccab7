import type { ComponentType } from 'react'
import { type Role, ROLES } from '../api/roles.ts'

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
]

export const GROUPS = ['Work', 'People', 'Partners', 'Operation'] as const

export const screensFor = (role: Role): readonly Screen[] => SCREENS.filter(({ who }) => who.includes(role))
