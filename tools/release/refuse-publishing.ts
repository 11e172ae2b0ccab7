/** Runs before `npm publish`: the version must be named, so that nobody publishes by accident. */
const version = process.env['npm_package_version']
if (version === undefined || process.env['PUBLISH_VERSION'] !== version) {
  console.error(`Nothing was published. To publish this version, set PUBLISH_VERSION=${version}.`)
  process.exitCode = 1
}
