import { Injectable, type OnModuleInit } from '@nestjs/common'
import { PrismaPg } from '@prisma/adapter-pg'
import { PrismaClient } from './generated/prisma/client.js'

@Injectable()
export class PrismaService extends PrismaClient implements OnModuleInit {
  constructor() {
    const { DATABASE_URL, POOL_SIZE } = process.env
    super({ adapter: new PrismaPg({ connectionString: DATABASE_URL, max: Number(POOL_SIZE) }) })
  }

  async onModuleInit() {
    await this.$connect()
  }
}
