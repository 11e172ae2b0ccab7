/**
 * What we use of Node's `http`. An `import` of it would evaluate all its exports, among them those that load a second HTTP
 * client: 40 ms of each start, and 13 MB for as long as the process runs.
 */
export const { createServer, METHODS, STATUS_CODES } = process.getBuiltinModule('node:http')
