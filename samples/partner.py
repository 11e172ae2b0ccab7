"""A partner's program: a user, a policy, a certificate. It needs the client for Python and a running Banyan."""

import datetime
import os
import random

from banyan import Banyan, ResponseError

banyan = Banyan(os.environ['BANYAN_URL'], basic_token=os.environ['BASIC_TOKEN'], user_agent='partner/1.0')
phone = {'phone_country_code': '+91', 'phone_number': f'98765{random.randrange(10_000, 100_000)}'}
user_id = banyan.issue_token(phone)['user_id']
banyan.complete_onboarding(user_id, {
    'title': 'MS', 'first_name': 'Asha', 'last_name': 'Example', 'dob': '1990-05-17', 'gender': 'FEMALE',
    'email': 'asha@example.com', 'address': 'Flat 4, Lake View, Pune 411001',
    'bank_details': {'account_number': '001234567890', 'ifsc_code': 'HDFC0000001'},
})

india = datetime.timezone(datetime.timedelta(hours=5, minutes=30))
plan = {'benefit_id': os.environ['BENEFIT_ID'], 'plan_code': 'FAMILY_5L', 'dependant_ids': []}
policy = banyan.enrol_insurance_policy(user_id, {**plan, 'start_date': datetime.datetime.now(india).date().isoformat()})
print('enrolled', policy['id'], banyan.read_insurance_policy_status(user_id, policy['id'])['status'])

try:
    banyan.enrol_insurance_policy(user_id, {**plan, 'start_date': policy['start_date']})
except ResponseError as error:
    print('again', error.code, error.reason)

form = banyan.download_document(user_id, policy['id'], 'enrollment_form')
print('form', form[:5].decode())
for found in banyan.each(banyan.list_insurance_policies, user_id):
    print('listed', found['id'] == policy['id'])
