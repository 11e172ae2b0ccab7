import { Type } from 'class-transformer'
import { IsArray, IsDateString, IsEmail, IsInt, IsOptional, IsString, ValidateNested } from 'class-validator'

export class PagingQuery {
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  limit = 20

  @IsOptional()
  @Type(() => Number)
  @IsInt()
  offset = 0
}

class IdProof {
  @IsString()
  number: string
}

export class TokenInput {
  @ValidateNested()
  @Type(() => IdProof)
  id_proof: IdProof

  @IsString()
  phone_country_code: string

  @IsString()
  phone_number: string

  @IsString()
  first_name: string

  @IsString()
  last_name: string

  @IsEmail()
  email: string
}

class DependantInput {
  @IsString()
  first_name: string

  @IsString()
  last_name: string

  @IsDateString()
  date_of_birth: string
}

export class DependantsInput {
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => DependantInput)
  dependants: DependantInput[]
}
