/** Runs before `npm publish`: whoever publishes says which version, so that nobody does it by accident. */
const version = process.env['npm_package_version']
if (version === undefined || process.env['PUBLISH_VERSION'] !== version) {
  console.error(`Nothing was published. To publish this version, set PUBLISH_VERSION=${version}.`)
  process.exitCode = 1
}
