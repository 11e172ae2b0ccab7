import 'reflect-metadata'
import { Controller, Get, Module, ValidationPipe } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { PrismaService } from './prisma.js'
import { TokensService } from './tokens.js'
import { UsersController } from './users.js'
import { WalletsController } from './wallets.js'

@Controller('livez')
class LiveController {
  @Get()
  live() {
    return {}
  }
}

@Module({
  controllers: [LiveController, UsersController, WalletsController],
  providers: [PrismaService, TokensService],
})
class AppModule {}

const app = await NestFactory.create(AppModule, { logger: ['error', 'warn'] })
app.useGlobalPipes(new ValidationPipe({ transform: true }))
await app.listen(Number(process.env.PORT), '127.0.0.1')
