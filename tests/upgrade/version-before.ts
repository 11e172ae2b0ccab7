/** The commit of `VERSION_BEFORE`; it does not change any more. Another one can be tried with `UPGRADE_FROM`. */
export const COMMIT_BEFORE = process.env['UPGRADE_FROM'] || '3af69f224060f768ff84943b193d6cb18d474838'
