import { PastDay } from '../kernel/http/schemas.ts'

export const BirthDay = () => PastDay({ description: 'Date of birth', examples: ['1990-05-17'] })
