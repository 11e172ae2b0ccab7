alter table sponsors add foreign key (platform_id) references platforms;
alter table benefits
  add foreign key (benefit_provider_id) references benefit_providers,
  add foreign key (sponsor_id) references sponsors,
  add foreign key (platform_id) references platforms;

alter table users add foreign key (platform_id) references platforms;
alter table user_providers
  add foreign key (user_id) references users,
  add foreign key (benefit_provider_id) references benefit_providers;
alter table dependants
  add foreign key (user_id) references users,
  add foreign key (user_id, previous_version_id) references dependants;
alter table insurance_policies
  add foreign key (user_id) references users,
  add foreign key (benefit_id) references benefits,
  add foreign key (benefit_provider_id) references benefit_providers,
  add foreign key (user_id, nominee_dependant_id) references dependants;
alter table accounts add foreign key (user_id) references users;
alter table consultations
  add foreign key (user_id) references users,
  add foreign key (benefit_provider_id) references benefit_providers;
alter table consultation_messages add foreign key (user_id, consultation_id) references consultations;
alter table user_status_changes add foreign key (user_id) references users;
