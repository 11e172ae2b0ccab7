const NAMES: Readonly<Record<string, string>> = {
  policy_certificate: 'Certificate',
  customer_information_sheet: 'Customer information sheet',
  enrollment_form: 'Enrolment form',
}

/** Returns what people call a type of document; `health_card/dep_…` is one. */
export const documentName = (type: string): string =>
  NAMES[type] ?? (type.startsWith('health_card') ? 'Health card' : type)
