import type { Reading as ReadingOf } from '../kernel/settings/read-settings.ts'
import type { Settings } from '../kernel/settings/setting.ts'
import { COMPANY_SETTINGS } from './company-settings.ts'
import { KEY_SETTINGS } from './key-settings.ts'
import { LIMIT_SETTINGS } from './limit-settings.ts'
import { PRIVACY_SETTINGS } from './privacy-settings.ts'
import { SERVER_SETTINGS } from './server-settings.ts'
import { STORAGE_SETTINGS } from './storage-settings.ts'

/** The settings as the reference groups them. */
export const SETTING_GROUPS = {
  'Program and database': SERVER_SETTINGS,
  'External companies and login': COMPANY_SETTINGS,
  'Documents and backups': STORAGE_SETTINGS,
  Keys: KEY_SETTINGS,
  'Personal data': PRIVACY_SETTINGS,
  Limits: LIMIT_SETTINGS,
} as const satisfies Record<string, Settings>

/** Every setting of the program; nothing else is read from the environment or from the file of settings. */
export const SETTINGS = {
  ...SERVER_SETTINGS,
  ...COMPANY_SETTINGS,
  ...STORAGE_SETTINGS,
  ...KEY_SETTINGS,
  ...PRIVACY_SETTINGS,
  ...LIMIT_SETTINGS,
} as const satisfies Settings

export type SettingName = keyof typeof SETTINGS
export type Reading = ReadingOf<SettingName>

/** The variable that names the file of settings. */
export const SETTINGS_FILE = 'BANYAN_CONFIG'

/** Variables that options of single commands read; they are no settings. */
export const COMMAND_VARIABLES = ['BANYAN_URL', 'BANYAN_TOKEN', 'BANYAN_BASIC_TOKEN', 'BANYAN_WEBHOOK_SECRET'] as const
