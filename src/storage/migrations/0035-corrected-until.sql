-- What is corrected ends with its correction, where that ends first.
grant update (expires_at) on muniment.observation to muniment_app;
