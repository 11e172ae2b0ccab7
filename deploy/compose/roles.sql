create role banyan_owner login password 'owner';
create role banyan_app login password 'app';
create database banyan owner banyan_owner;
