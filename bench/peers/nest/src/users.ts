import { Body, Controller, Get, HttpCode, NotFoundException, Param, Post, Query, UseGuards } from '@nestjs/common'
import { randomUUID } from 'node:crypto'
import { AuthGuard, Caller } from './auth-guard.js'
import { DependantsInput, PagingQuery, TokenInput } from './forms.js'
import { PrismaService } from './prisma.js'
import { type Claims, TokensService } from './tokens.js'

type NamedRecord = { id: string; firstName: string | null; lastName: string | null }
const person = ({ id, firstName, lastName }: NamedRecord) => ({ id, first_name: firstName, last_name: lastName })
const money = (paise: number) => ({ currency: 'INR', value: paise / 100 })
const day = (date: Date) => date.toISOString().slice(0, 10)

@Controller('v1')
@UseGuards(AuthGuard)
export class UsersController {
  constructor(
    private readonly prisma: PrismaService,
    private readonly tokens: TokensService,
  ) {}

  @Get('users/:userId/insurance_policies')
  async list(@Param('userId') userId: string, @Query() { limit, offset }: PagingQuery, @Caller() claims: Claims) {
    const [user, total] = await Promise.all([
      this.prisma.user.findFirst({
        where: { id: userId, platformId: claims.platform_id },
        include: {
          dependants: true,
          policies: {
            include: { benefit: true },
            orderBy: [{ createdAt: 'desc' }, { id: 'asc' }],
            take: limit,
            skip: offset,
          },
        },
      }),
      this.prisma.policy.count({ where: { userId } }),
    ])
    if (!user) throw new NotFoundException()
    const data = user.policies.map((policy) => ({
      id: policy.id,
      benefit_id: policy.benefitId,
      benefit_name: policy.benefit.name,
      plan_code: policy.planCode,
      primary_member: person(user),
      dependant_ids: policy.dependantIds,
      dependants: user.dependants.filter(({ id }) => policy.dependantIds.includes(id)).map(person),
      premium_amounts: {
        annual: money(policy.premiumAnnualPaise),
        daily: money(policy.premiumDailyPaise),
        sponsor_contribution: money(policy.premiumSponsorPaise),
      },
      start_date: day(policy.startDate),
      end_date: day(policy.endDate),
      created_at: policy.createdAt,
    }))
    return { data, limit, offset, total }
  }

  @Post('auth/token')
  @HttpCode(200)
  async token(@Body() input: TokenInput, @Caller() { platform_id: platformId }: Claims) {
    const phone = input.phone_country_code + input.phone_number
    const profile = { firstName: input.first_name, lastName: input.last_name, email: input.email }
    const user = await this.prisma.user.upsert({
      where: { platformId_phone: { platformId, phone } },
      update: profile,
      create: { id: randomUUID(), platformId, phone, idProof: input.id_proof.number, ...profile },
      select: { id: true },
    })
    return { access_token: await this.tokens.issue(platformId, user.id), user_id: user.id }
  }

  @Post('users/:userId/dependants/bulk')
  async addDependants(@Param('userId') userId: string, @Body() input: DependantsInput, @Caller() claims: Claims) {
    const user = await this.prisma.user.findFirst({
      where: { id: userId, platformId: claims.platform_id },
      select: { id: true },
    })
    if (!user) throw new NotFoundException()
    const rows = await this.prisma.dependant.createManyAndReturn({
      data: input.dependants.map((one) => ({
        id: randomUUID(),
        userId,
        firstName: one.first_name,
        lastName: one.last_name,
        dateOfBirth: new Date(one.date_of_birth),
      })),
    })
    return { data: rows.map((row) => ({ ...person(row), date_of_birth: day(row.dateOfBirth) })) }
  }
}
