import type {
  BenefitId,
  BenefitProviderId,
  PlatformId,
  SetPlatformStatusRequest,
  SetSponsorStatusRequest,
  SponsorId,
} from '@banyan/client'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { banyan } from './banyan.ts'
import { offsetPage } from './offset-page.ts'

export type PlatformStatus = SetPlatformStatusRequest['status']
export type SponsorStatus = SetSponsorStatusRequest['status']
export type BenefitStatus = 'ACTIVE' | 'ARCHIVED'

export const platformsQuery = (status: readonly PlatformStatus[], after?: string) =>
  queryOptions({
    queryKey: ['platforms', status, after],
    queryFn: ({ signal }) => offsetPage(after, (page) => banyan.platforms.list({ status, ...page }, { signal })),
    placeholderData: keepPreviousData,
  })

export const platformQuery = (id: PlatformId) =>
  queryOptions({ queryKey: ['platform', id], queryFn: ({ signal }) => banyan.platforms.read(id, { signal }) })

export const webOriginsQuery = (id: PlatformId) =>
  queryOptions({
    queryKey: ['web_origins', id],
    queryFn: ({ signal }) => banyan.platforms.readWebOrigins(id, { signal }),
    structuralSharing: false, // the record itself is the version of `ifMatch`
  })

export const providersQuery = (after?: string) =>
  queryOptions({
    queryKey: ['benefit_providers', after],
    queryFn: ({ signal }) => offsetPage(after, (page) => banyan.benefitProviders.list(page, { signal })),
    placeholderData: keepPreviousData,
  })

export const providerQuery = (id: BenefitProviderId) =>
  queryOptions({
    queryKey: ['benefit_provider', id],
    queryFn: ({ signal }) => banyan.benefitProviders.read(id, { signal }),
  })

export const sponsorsQuery = (status: readonly SponsorStatus[], after?: string) =>
  queryOptions({
    queryKey: ['sponsors', status, after],
    queryFn: ({ signal }) => offsetPage(after, (page) => banyan.sponsors.list({ status, ...page }, { signal })),
    placeholderData: keepPreviousData,
  })

export const sponsorQuery = (id: SponsorId) =>
  queryOptions({ queryKey: ['sponsor', id], queryFn: ({ signal }) => banyan.sponsors.read(id, { signal }) })

export const benefitsQuery = (status: readonly BenefitStatus[], after?: string) =>
  queryOptions({
    queryKey: ['benefits', status, after],
    queryFn: ({ signal }) => offsetPage(after, (page) => banyan.benefits.list({ status, ...page }, { signal })),
    placeholderData: keepPreviousData,
  })

export const benefitQuery = (id: BenefitId) =>
  queryOptions({
    queryKey: ['benefit', id],
    queryFn: ({ signal }) => banyan.benefits.read(id, { signal }),
    structuralSharing: false, // the record itself is the version of `ifMatch`
  })
