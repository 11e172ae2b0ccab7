import { Controller, Get, HttpStatus, NotFoundException, Param, Post, Res, UseGuards } from '@nestjs/common'
import { randomUUID } from 'node:crypto'
import { AuthGuard, Caller } from './auth-guard.js'
import { PrismaService } from './prisma.js'
import type { Claims } from './tokens.js'

type Response = { status(code: number): void }

@Controller('wallet/v1/wallet')
@UseGuards(AuthGuard)
export class WalletsController {
  constructor(private readonly prisma: PrismaService) {}

  @Post()
  async create(@Caller() { user_id: userId }: Claims, @Res({ passthrough: true }) response: Response) {
    const id = randomUUID()
    const wallet = await this.prisma.wallet.upsert({
      where: { userId },
      update: {},
      create: { userId, id, status: 'PENDING' },
    })
    response.status(wallet.id === id ? HttpStatus.CREATED : HttpStatus.OK)
    return { partner_wallet_id: wallet.id, wallet_status: wallet.status }
  }

  @Get(':walletId/status')
  async status(@Param('walletId') walletId: string, @Caller() { user_id: userId }: Claims) {
    const wallet = await this.prisma.wallet.findUnique({ where: { userId, id: walletId } })
    if (!wallet) throw new NotFoundException()
    return { wallet_id: wallet.id, wallet_status: wallet.status }
  }
}
