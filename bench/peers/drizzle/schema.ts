import { relations } from 'drizzle-orm'
import { date, index, integer, pgTable, text, timestamp, unique } from 'drizzle-orm/pg-core'

const createdAt = timestamp('created_at', { withTimezone: true }).notNull().defaultNow()

export const users = pgTable(
  'users',
  {
    id: text('user_id').primaryKey(),
    platformId: text('platform_id').notNull(),
    phone: text().notNull(),
    idProof: text('id_proof'),
    firstName: text('first_name'),
    lastName: text('last_name'),
    email: text(),
    createdAt,
  },
  (table) => [unique().on(table.platformId, table.phone)],
)

export const dependants = pgTable(
  'dependants',
  {
    id: text('dependant_id').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id),
    firstName: text('first_name').notNull(),
    lastName: text('last_name').notNull(),
    dateOfBirth: date('date_of_birth').notNull(),
    createdAt,
  },
  (table) => [index().on(table.userId)],
)

export const benefits = pgTable('benefits', { id: text('benefit_id').primaryKey(), name: text().notNull() })

export const policies = pgTable(
  'policies',
  {
    id: text('policy_id').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id),
    benefitId: text('benefit_id')
      .notNull()
      .references(() => benefits.id),
    planCode: text('plan_code').notNull(),
    status: text().notNull(),
    dependantIds: text('dependant_ids').array().notNull(),
    startDate: date('start_date').notNull(),
    endDate: date('end_date').notNull(),
    premiumAnnualPaise: integer('premium_annual_paise').notNull(),
    premiumDailyPaise: integer('premium_daily_paise').notNull(),
    premiumSponsorPaise: integer('premium_sponsor_paise').notNull(),
    createdAt,
  },
  (table) => [index().on(table.userId, table.createdAt.desc())],
)

export const wallets = pgTable('wallets', {
  userId: text('user_id')
    .primaryKey()
    .references(() => users.id),
  id: text('wallet_id').notNull().unique(),
  status: text('wallet_status').notNull(),
  createdAt,
})

export const usersRelations = relations(users, ({ many }) => ({
  policies: many(policies),
  dependants: many(dependants),
}))

export const dependantsRelations = relations(dependants, ({ one }) => ({
  user: one(users, { fields: [dependants.userId], references: [users.id] }),
}))

export const policiesRelations = relations(policies, ({ one }) => ({
  user: one(users, { fields: [policies.userId], references: [users.id] }),
  benefit: one(benefits, { fields: [policies.benefitId], references: [benefits.id] }),
}))
