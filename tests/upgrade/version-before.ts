/** The commit of `VERSION_BEFORE`; it does not change any more. Another one can be tried with `UPGRADE_FROM`. */
export const COMMIT_BEFORE = process.env['UPGRADE_FROM'] || '12e5f3ac9f393d17cef9cc85cb1c94deb1650ee8'
