/** The parts of a backup: names in its archive, which are a stored format. */
export const FORMAT = 1
export const ABOUT = 'banyan.json'
export const CLUSTER = 'cluster'
export const MANIFEST = 'cluster/backup_manifest'
export const DOCUMENTS = 'documents'
export const KEYS = 'keys'
