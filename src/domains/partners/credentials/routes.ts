import type { FastifyRequest } from 'fastify'
import { nameCaller } from '../../../access/logged-caller.ts'
import { matrix, type AccessRow } from '../../../access/matrix.ts'
import { checkIsOwn } from '../../../access/scope.ts'
import type { Deps } from '../../../deps.ts'
import { sendRecord } from '../../../kernel/http/conditional.ts'
import { checkCharset } from '../../../kernel/http/framing.ts'
import { locationOf, param } from '../../../kernel/http/param.ts'
import type { App } from '../../../kernel/http/server.ts'
import { perform, responding } from '../../../record/index.ts'
import { benefitProviderInPath } from '../benefit-providers/index.ts'
import { findPlatform } from '../platforms/index.ts'
import { createCredential } from './create-credential.ts'
import { ensureLive } from './ensure-live.ts'
import { invalidTokenRequest, readableByOauthClients, repeatedField, tooManyFields } from './errors.ts'
import { exchangeCredential } from './exchange-credential.ts'
import { revokeCredential } from './revoke-credential.ts'
import * as schemas from './schemas.ts'
import { validateLimits, limitsOf } from './limits-of.ts'
import { versionOf } from './present.ts'
import { type CredentialOwner, listCredentialIds, readCredential } from './store.ts'

export function credentialRoutes(app: App, deps: Deps): void {
  for (const schema of schemas.records) app.addSchema(schema)
  ownerRoutes(app, deps, {
    path: '/platforms/:platform_id/credentials',
    schema: schemas.PLATFORM,
    list: matrix.listPlatformCredentials,
    read: matrix.readPlatformCredential,
    create: matrix.createPlatformCredential,
    revoke: matrix.revokePlatformCredential,
    ownerOf: (params) => ({ kind: 'platform', id: params['platform_id'] as string }),
  })
  ownerRoutes(app, deps, {
    path: '/benefit_providers/:benefit_provider_id/credentials',
    schema: schemas.PROVIDER,
    list: matrix.listBenefitProviderCredentials,
    read: matrix.readBenefitProviderCredential,
    create: matrix.createBenefitProviderCredential,
    revoke: matrix.revokeBenefitProviderCredential,
    ownerOf: (params) => ({ kind: 'provider', id: params['benefit_provider_id'] as string }),
  })
  void app.register(async (scope) => exchangeRoute(scope as App, deps))
}

type OwnerRoutes = {
  path: string
  schema: typeof schemas.PLATFORM
  list: AccessRow
  read: AccessRow
  create: AccessRow
  revoke: AccessRow
  ownerOf: (params: Record<string, string>) => CredentialOwner
}

/** Mounts the same operations for platforms and for benefit providers (contract 4.10 to 4.13). */
function ownerRoutes(app: App, deps: Deps, { path, schema, list, read, create, revoke, ownerOf }: OwnerRoutes): void {
  const { db, clock } = deps
  const ownerFrom = (request: FastifyRequest) => ownerOf(request.params as Record<string, string>)

  async function loadTarget(request: FastifyRequest): Promise<CredentialOwner> {
    const owner = ownerFrom(request)
    checkIsOwn(request.caller, owner.kind === 'platform' ? { platformId: owner.id } : { benefitProviderId: owner.id })
    await (owner.kind === 'platform'
      ? findPlatform(db, owner.id)
      : benefitProviderInPath({ deps, params: { benefit_provider_id: owner.id } }))
    return owner
  }

  app.get(
    path,
    {
      schema: schemas.listCredentialsSchema(schema),
      config: { access: list, loadTarget, refuses: ['not_found'], versioned: false },
    },
    async (request) => {
      const ids = await listCredentialIds(db, (await loadTarget(request)).id)
      return { credentials: ids.map((credential_id) => ({ credential_id })) }
    },
  )

  app.post(
    path,
    {
      schema: schemas.createCredentialSchema(schema),
      config: {
        access: create,
        loadTarget,
        refuses: ['not_found', 'conflict'],
        errors: (request) => validateLimits(request, clock),
      },
    },
    (request, reply) => {
      const owner = ownerFrom(request)
      return perform(deps, {
        request,
        reply,
        turn: owner.id,
        decide: (by) => createCredential(db, { owner, input: limitsOf(request.body) }, by),
        present: (credential) => ({
          ...responding(credential, 201),
          headers: { location: locationOf(request, credential.credential_id) },
        }),
        replay: async (body) => {
          await ensureLive(db, owner, body.credential_id)
          return body
        },
      })
    },
  )

  const find = async (request: FastifyRequest) =>
    readCredential(db, await loadTarget(request), param(request, 'credential_id'))
  app.get(
    `${path}/:credential_id`,
    {
      schema: schemas.readCredentialSchema(schema),
      config: { access: read, loadTarget: find, refuses: ['not_found'] },
    },
    async (request, reply) => sendRecord({ request, reply }, versionOf(await find(request))),
  )

  app.delete(
    `${path}/:credential_id`,
    {
      schema: schemas.revokeCredentialSchema(schema),
      config: { access: revoke, loadTarget, refuses: ['not_found', 'precondition_failed'] },
    },
    (request, reply) => {
      const { keep_user_tokens } = request.query as { keep_user_tokens?: string }
      const revocation = {
        owner: ownerFrom(request),
        credentialId: request.params.credential_id,
        keepsUserTokens: keep_user_tokens === 'true',
        ifMatch: request.headers['if-match'],
      }
      return perform(deps, {
        request,
        reply,
        turn: revocation.credentialId,
        decide: () => revokeCredential(db, revocation),
        present: (revoked) => responding({ revoked }),
      })
    },
  )
}

/** A body of 60,000 fields takes 200 ms to read, and anybody can send it. */
const FORM_FIELDS_MAX = 100

/** Returns the fields of a form. Throws 400 when there are too many, or one is repeated. */
function formFields(body: string): Record<string, string> {
  if (body.split('&', FORM_FIELDS_MAX + 1).length > FORM_FIELDS_MAX) throw tooManyFields(FORM_FIELDS_MAX)
  const fields = new URLSearchParams(body)
  if (new Set(fields.keys()).size !== fields.size) throw repeatedField()
  return Object.fromEntries(fields)
}

/** OAuth clients send form-encoded bodies, so only this operation accepts them, besides JSON. */
function exchangeRoute(app: App, deps: Deps): void {
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    async (request: FastifyRequest, body: string | Buffer) => {
      checkCharset(request.headers['content-type'])
      return formFields(String(body))
    },
  )
  app.setErrorHandler((error) => {
    throw readableByOauthClients(error)
  })
  // Also runs before errors of the body are reported: authentication comes first.
  const exchange = (request: FastifyRequest) =>
    exchangeCredential(deps, {
      authorization: request.headers.authorization,
      address: request.ip,
      onFound: (id) => void (request.credentialId = id),
    })
  app.post(
    '/oauth/token',
    {
      schema: schemas.exchangeCredentialSchema,
      config: {
        access: matrix.exchangeCredential,
        limit: 'tokenRequests',
        loadTarget: exchange,
        toProblem: invalidTokenRequest,
      },
    },
    async (request, reply) => {
      const { token, expiresInSeconds, caller, headers } = await exchange(request)
      nameCaller(request, caller)
      reply.headers(headers)
      return { access_token: token, token_type: 'Bearer' as const, expires_in: expiresInSeconds }
    },
  )
}
