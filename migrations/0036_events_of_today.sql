-- Completes events of the first versions, so that the log has one shape for each type: members that they lacked stand in the records,
-- and members that no type has any more go. A benefit provider sees such events from then on. Nothing else changes an event.
update events e
   set data = e.data || jsonb_build_object('benefit_provider_id', p.benefit_provider_id)
  from insurance_policies p
 where e.type = 'policy.status_changed' and not e.data ? 'benefit_provider_id'
   and p.user_id = e.data ->> 'user_id' and p.policy_id = e.data ->> 'insurance_policy_id';

update events e
   set data = (e.data - 'sender') || jsonb_build_object('benefit_provider_id', c.benefit_provider_id)
  from consultations c
 where e.type = 'consultation.message_created' and not e.data ? 'benefit_provider_id'
   and c.user_id = e.data ->> 'user_id' and c.consultation_id = e.data ->> 'consultation_id';

update events e
   set data = e.data || jsonb_build_object('benefit_provider_id', b.benefit_provider_id)
  from benefits b
 where e.type = 'benefit.deleted' and not e.data ? 'benefit_provider_id' and b.benefit_id = e.data ->> 'benefit_id';

update events
   set data = (data - 'dependants') || jsonb_build_object('dependant_ids', jsonb_path_query_array(data, '$.dependants[*].id'))
 where type = 'dependants.created' and data ? 'dependants';

update events set data = data - 'status' where type = 'sponsor.updated' and data ? 'status';
